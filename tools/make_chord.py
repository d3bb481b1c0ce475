"""Synthesise testdata/chord.wav: C4, E4 and G4 one after the other, then the C major chord.

    python3 tools/make_chord.py testdata/chord.wav

Standard library only. 22050 Hz, mono, 16 bits: what the transcription model takes.
"""

import math
import struct
import sys
import wave

RATE = 22050
SECONDS = 3.4
# (start in seconds, length in seconds, MIDI note)
NOTES = [(0.1, 0.5, 60), (0.7, 0.5, 64), (1.3, 0.5, 67)]
NOTES += [(2.0, 1.2, midi) for midi in (60, 64, 67, 72)]


def tone(midi, t, length):
    """A decaying tone with six harmonics and soft edges."""
    frequency = 440.0 * 2.0 ** ((midi - 69) / 12)
    edge = min(1.0, t / 0.008, (length - t) / 0.03)
    decay = math.exp(-2.0 * t)
    partials = (math.sin(2 * math.pi * frequency * k * t) / k**2 for k in range(1, 7))
    return max(edge, 0.0) * decay * sum(partials)


samples = [0.0] * int(RATE * SECONDS)
for start, length, midi in NOTES:
    first = int(start * RATE)
    for i in range(int(length * RATE)):
        samples[first + i] += tone(midi, i / RATE, length)
scale = 0.8 / max(abs(s) for s in samples)
with wave.open(sys.argv[1], "wb") as out:
    out.setnchannels(1)
    out.setsampwidth(2)
    out.setframerate(RATE)
    out.writeframes(b"".join(struct.pack("<h", int(32767 * scale * s)) for s in samples))
