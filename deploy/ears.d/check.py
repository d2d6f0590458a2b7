"""Asks running ears whether they keep to vosk-server's protocol, and plays speech to them as a call would.

check.py URL                 the protocol, and speech where this machine has some; exit 1 if something is wrong
check.py URL FILE.wav ...    plays mono 16-bit files in real time, one socket each, all at once, and says what came back
"""

import asyncio
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import wave

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

EOF_TEXT, RESET_TEXT = '{"eof" : 1}', '{"reset" : 1}'
PROMPTS = "usr/share/asterisk/sounds/es*/queue-thankyou.wav"
SAID = {"gracias", "paciencia"}


def load(path):
    with wave.open(path) as file:
        if file.getnchannels() != 1 or file.getsampwidth() != 2:
            sys.exit(f"{path}: expected mono and 16 bits")
        return file.getframerate(), file.readframes(file.getnframes())


async def play(url, rate, pcm, pace=1.0, silence=0.0):
    """Sends 20 ms at a time and reads the replies; returns (seconds since the start, reply) of each, the eof's last."""
    step = rate // 50 * 2
    pcm += bytes(int(silence * rate) * 2)
    chunks = [pcm[at : at + step] for at in range(0, len(pcm), step)]
    replies = []
    async with connect(url, max_size=1 << 20, compression=None) as socket:
        await socket.send(json.dumps({"config": {"sample_rate": rate}}))
        start = time.monotonic()

        async def listen():
            for _ in chunks:
                replies.append((time.monotonic() - start, json.loads(await socket.recv())))

        listener = asyncio.create_task(listen())
        for n, chunk in enumerate(chunks):
            await asyncio.sleep(start + n * 0.02 * pace - time.monotonic())
            await socket.send(chunk)
        await listener
        await socket.send(EOF_TEXT)
        replies.append((time.monotonic() - start, json.loads(await socket.recv())))
        try:
            await socket.recv()
            raise SystemExit("wrong: more than one reply to eof, or no close after it")
        except ConnectionClosed:
            pass
    assert len(replies) == len(chunks) + 1, "wrong: not exactly one reply per audio message"
    return replies


async def tell(url, path):
    rate, pcm = load(path)
    replies = await play(url, rate, pcm, silence=1.0)
    partial = ""
    for at, reply in replies:
        if reply.get("text"):
            words = reply.get("result", [])
            print(f"{os.path.basename(path)}: {reply['text']}")
            print(f"   words {words[0]['start']:.2f}-{words[-1]['end']:.2f} s, told at {at:.2f} s: {at - words[-1]['end']:.2f} s after the last word")
        elif reply.get("partial") and reply["partial"] != partial:
            partial = reply["partial"]
            print(f"{os.path.basename(path)}: ... {partial} (at {at:.2f} s)")


async def protocol(url):
    silent = bytes(320)
    async with connect(url, max_size=1 << 20, compression=None) as socket:
        await socket.send('{"config" : {"sample_rate" : 8000}}')
        for odd in (silent, silent[:-1], silent + b"\0", b""):
            await socket.send(odd)
            assert json.loads(await socket.recv()) == {"partial": ""}, "wrong: silence must give an empty partial"
        await socket.send(RESET_TEXT)
        assert json.loads(await socket.recv()) == {"text": ""}, "wrong: reset must give the final result"
        await socket.send(silent)
        assert "partial" in json.loads(await socket.recv()), "wrong: after a reset the socket must go on"
        await socket.send('{"config": "nonsense"}')
        await socket.send(silent)
        assert "partial" in json.loads(await socket.recv()), "wrong: a config has no reply, a bad one neither"
        await socket.send(EOF_TEXT)
        assert json.loads(await socket.recv()) == {"text": ""}, "wrong: eof must give the final result"
        try:
            await socket.recv()
            raise SystemExit("wrong: eof must close")
        except ConnectionClosed:
            pass
    print("protocol: config, audio, odd bytes, reset, eof: as vosk-server's")
    texts = [reply for _, reply in await play(url, 16000, bytes(16000 * 2 * 5), pace=0.1)]
    assert not any(reply.get("text") or reply.get("partial") for reply in texts), "wrong: words heard in silence"
    print("silence: nothing heard in it")


def some_speech(folder):
    """A file of Spanish speech on this machine, whose words are known, and what it is; None if there is none."""
    for base in (os.path.join(os.environ.get("AURA_HOME", ""), "pbx/root"), "/"):
        for path in glob.glob(os.path.join(base, PROMPTS)):
            return path, "a recorded prompt"
    if shutil.which("espeak-ng"):
        path = os.path.join(folder, "speech.wav")
        subprocess.run(["espeak-ng", "-v", "es-419", "-s", "130", "-w", path, "Muchas gracias por su paciencia."], check=True)
        return path, "espeak-ng, which whisper reads badly"
    return None


async def speech(url):
    with tempfile.TemporaryDirectory() as folder:
        found = some_speech(folder)
        if not found:
            print("speech: skipped; neither Asterisk's Spanish prompts (deploy/pbx up) nor espeak-ng is here")
            return
        rate, pcm = load(found[0])
    pause = bytes(rate * 2)
    both = await asyncio.gather(play(url, rate, pcm + pause + pcm), play(url, rate, pause + pcm))
    for times, replies in zip((2, 1), both):
        words = [word for _, reply in replies for word in reply.get("result", [])]
        text = " ".join(word["word"] for word in words)
        assert SAID <= set(text.split()) or "espeak" in found[1], f"wrong: heard «{text}»"
        assert text.split().count("gracias") == times or "espeak" in found[1], f"wrong: not {times} times: «{text}»"
        ends = [word["end"] for word in words]
        assert ends == sorted(ends), f"wrong: words out of order: {words}"
        print(f"speech ({found[1]}), {times} of 2 sockets at once: {text}")


async def main():
    url, files = sys.argv[1], sys.argv[2:]
    if files:
        await asyncio.gather(*(tell(url, path) for path in files))
        return
    await protocol(url)
    await speech(url)


try:
    asyncio.run(main())
except AssertionError as wrong:
    sys.exit(str(wrong))
