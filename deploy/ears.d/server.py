"""Ears without an account: whisper-base behind vosk-server's websocket protocol. Started by deploy/ears.

One socket is one mono leg. Silero's voice detector, which comes with faster-whisper, cuts the audio at pauses; whisper
reads each piece in a thread, one at a time, so the event loop always has an answer for the client:

  text with "config"   {"config": {"sample_rate": 8000, ...}}; no reply, and nothing else in it is used
  binary               16-bit little-endian PCM; exactly one reply: a partial, or the next finished piece
  {"eof" : 1}          literally so: the rest as one final, then the server closes
  {"reset" : 1}        literally so: the same final, and the socket stays
"""

import argparse
import asyncio
import json
import os
import signal
import sys
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor

import av
import numpy as np
from faster_whisper.vad import get_vad_model
from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed

from whisper import RATE, Whisper

WINDOW = 512  # samples the voice detector looks at: 32 ms
CONTEXT = 64  # samples it wants from before
VOICE, QUIET = 0.5, 0.35  # probabilities at which speech begins and ends
BEFORE = 9 * WINDOW  # kept from before the first voiced window
PAUSE = int(0.6 * RATE)  # silence that ends a piece
SHORTEST = int(0.16 * RATE)  # less voice than this is a click
LONGEST = 15 * RATE  # a piece is cut by here even without a pause,
SEARCH = 100  # in the least voiced of its last windows
PARTIAL_EVERY = int(1.5 * RATE)
ABANDONED = 1.5  # seconds without any audio that end a piece too
WAITING = 6  # pieces per leg that may wait for whisper; older ones are dropped
LEGS = 32  # sockets at once


def final(words):
    text = " ".join(word["word"] for word in words)
    return {"result": words, "text": text} if words else {"text": ""}


class Leg:
    """The audio of one socket, cut into pieces, and what was made of them."""

    def __init__(self, ears):
        self.ears = ears
        self.odd = b""
        self.waiting = deque()  # pieces (begin in seconds, samples) that whisper hasn't read
        self.finals = deque()
        self.reader = None
        self.dropped = 0
        self.configure(ears.rate)

    def configure(self, rate):
        self.rate = rate
        self.resampler = av.AudioResampler(format="flt", layout="mono", rate=RATE)
        self.heard = 0  # samples at 16 kHz before self.audio
        self.audio = np.zeros(0, np.float32)  # the current piece, or the little before the next one
        self.unseen = np.zeros(0, np.float32)  # less than one window
        self.context = np.zeros(CONTEXT, np.float32)
        self.state = [np.zeros((1, 1, 128), np.float32)] * 2
        self.rest()

    def rest(self):
        self.speaking, self.voiced, self.quiet, self.partial, self.shown = False, 0, 0, "", 0
        self.voices = []

    def hear(self, pcm):
        pcm = self.odd + pcm
        even = len(pcm) & ~1
        self.odd = pcm[even:]
        if not even:
            return
        frame = av.AudioFrame.from_ndarray(np.frombuffer(pcm[:even], "<i2")[None], format="s16", layout="mono")
        frame.sample_rate = self.rate
        parts = [self.unseen] + [out.to_ndarray()[0] for out in self.resampler.resample(frame)]
        samples = np.concatenate(parts)
        whole = len(samples) // WINDOW * WINDOW
        self.unseen = samples[whole:]
        if whole:
            for window, voice in zip(samples[:whole].reshape(-1, WINDOW), self.voice(samples[:whole])):
                self.step(window, voice)

    def voice(self, samples):
        """The probability of speech in each window, with the detector's memory carried from call to call."""
        before = np.concatenate([self.context, samples])
        windows = np.stack([before[at : at + CONTEXT + WINDOW] for at in range(0, len(samples), WINDOW)])
        self.context = samples[-CONTEXT:]
        out, *self.state = self.ears.detector.session.run(
            None, {"input": windows, "h": self.state[0], "c": self.state[1]}
        )
        return out.reshape(-1)

    def step(self, window, voice):
        self.audio = np.concatenate([self.audio, window])
        self.voices.append(voice)
        if voice >= VOICE:
            self.speaking, self.quiet = True, 0
            self.voiced += WINDOW
        elif voice < QUIET:
            self.quiet += WINDOW
        if not self.speaking:
            spare = max(0, len(self.audio) - BEFORE)
            self.heard += spare
            self.audio = self.audio[spare:]
            self.voices.clear()
        elif self.quiet >= PAUSE:
            self.cut(BEFORE)
        elif len(self.audio) >= LONGEST:
            after = int(np.argmin(self.voices[: -SEARCH - 1 : -1]))
            self.cut(after * WINDOW)
            self.speaking, self.voiced = True, after * WINDOW

    def cut(self, keep=0):
        """The current piece goes to whisper, but for its last samples, which begin what is said next."""
        if self.speaking and self.voiced >= SHORTEST:
            if len(self.waiting) >= WAITING:
                self.waiting.popleft()
                self.dropped += 1
                print(f"ears: too slow, {self.dropped} pieces of this leg were not read", file=sys.stderr, flush=True)
            self.waiting.append((self.heard / RATE, self.audio[: len(self.audio) - keep]))
            if self.reader is None or self.reader.done():
                self.reader = asyncio.create_task(self.read_waiting())
        self.heard += len(self.audio) - keep
        self.audio = self.audio[len(self.audio) - keep :]
        self.rest()

    async def read_waiting(self):
        while self.waiting:
            async with self.ears.turn:
                if not self.waiting:  # its socket went away meanwhile
                    return
                begin, audio = self.waiting.popleft()
                self.finals.append(await self.ears.read(audio, begin, 5))

    def want_partial(self):
        """A look at the unfinished piece, only while whisper has nothing else to do and some time to spare."""
        if self.speaking and len(self.audio) - self.shown >= PARTIAL_EVERY and self.ears.idle():
            self.shown = len(self.audio)
            self.ears.keep(asyncio.create_task(self.read_partial(self.heard, self.audio)))

    async def read_partial(self, at, audio):
        async with self.ears.turn:
            start = time.monotonic()
            words = await self.ears.read(audio, 0, 1)
            # On a slow or busy machine partials would delay what matters: they get a third of the time.
            self.ears.spare_from = 3 * time.monotonic() - 2 * start
        if self.speaking and self.heard == at:
            self.partial = " ".join(word["word"] for word in words)

    def reply(self):
        while self.finals:
            words = self.finals.popleft()
            if words:
                return final(words)
        return {"partial": self.partial}

    async def rest_of_it(self):
        # 0.1 s of silence pushes out what resampler and detector hold back.
        self.hear(bytes(self.rate // 10 * 2))
        self.cut()
        if self.reader:
            await self.reader
        words = [word for piece in self.finals for word in piece]
        self.finals.clear()
        return final(words)


class Ears:
    def __init__(self, model, threads, rate):
        self.whisper = Whisper(model, device="cpu", compute_type="int8", cpu_threads=threads)
        self.detector = get_vad_model()
        self.rate = rate
        self.turn = asyncio.Semaphore(1)  # first come, first served, across legs
        self.pool = ThreadPoolExecutor(1)
        self.tasks = set()
        self.legs = 0
        self.spare_from = 0.0  # no partial before

    def idle(self):
        return not self.turn.locked() and time.monotonic() >= self.spare_from

    async def read(self, *piece):
        return await asyncio.get_running_loop().run_in_executor(self.pool, self.whisper.read, *piece)

    def keep(self, task):
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def serve(self, socket):
        if self.legs >= LEGS:
            await socket.close(1013, "too many legs")
            return
        self.legs += 1
        leg = Leg(self)
        try:
            while await self.message(socket, leg):
                pass
        except ConnectionClosed:
            pass
        finally:
            self.legs -= 1
            leg.waiting.clear()

    async def message(self, socket, leg):
        try:
            message = await asyncio.wait_for(socket.recv(), ABANDONED)
        except TimeoutError:
            leg.cut()
            return True
        if message == '{"eof" : 1}':
            await socket.send(json.dumps(await leg.rest_of_it(), ensure_ascii=False))
            return False
        if message == '{"reset" : 1}':
            await socket.send(json.dumps(await leg.rest_of_it(), ensure_ascii=False))
            return True
        if isinstance(message, str):
            if "config" in message:
                configure(leg, message)
                return True
        else:
            leg.hear(message)
            leg.want_partial()
        await socket.send(json.dumps(leg.reply(), ensure_ascii=False))
        return True


def configure(leg, message):
    """A config that can't be read changes nothing, as with vosk's own server."""
    try:
        rate = int(json.loads(message)["config"].get("sample_rate", leg.rate))
    except (ValueError, TypeError, KeyError, AttributeError):
        print("ears: a config message could not be read", file=sys.stderr, flush=True)
        return
    if 8000 <= rate <= 48_000 and rate != leg.rate:
        leg.configure(rate)


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True)
    parser.add_argument("--listen", default="127.0.0.1:2700")
    parser.add_argument("--threads", type=int, default=min(4, os.cpu_count() or 1))
    parser.add_argument("--rate", type=int, default=8000, help="of a client that sends no config")
    args = parser.parse_args()
    host, _, port = args.listen.rpartition(":")
    ears = Ears(args.model, args.threads, args.rate)
    stop = asyncio.Event()
    for sign in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(sign, stop.set)
    # Small queues: a client that sends faster than it is answered is slowed by its own socket.
    async with serve(ears.serve, host.strip("[]"), int(port), max_size=1 << 20, max_queue=16, compression=None):
        print(f"ears: listening on ws://{args.listen}", flush=True)
        await stop.wait()
        # Whisper's thread can't be interrupted, and nothing here outlives the process: the sockets just end.
        os._exit(0)


if __name__ == "__main__":
    asyncio.run(main())
