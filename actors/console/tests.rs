//! Tests of the terminal client, without a terminal.
