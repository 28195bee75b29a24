// Sounds of a match: off until they are wanted.

const STORE = "ggp-sound";

/** Each sound as its tones: a frequency in Hz, and when it begins, in seconds. */
const SOUNDS = {
  move: [[330, 0]],
  capture: [
    [220, 0],
    [165, 0.06],
  ],
  end: [
    [330, 0],
    [415, 0.14],
    [494, 0.28],
  ],
};

/** How long a tone lasts, in seconds. */
const LENGTH = 0.12;

export class Sound {
  constructor() {
    try {
      this.on = localStorage.getItem(STORE) === "on";
    } catch {
      this.on = false;
    }
  }

  turn(on) {
    this.on = on;
    try {
      localStorage.setItem(STORE, on ? "on" : "off");
    } catch {
      // It holds for this page.
    }
    if (on) this.play("move");
  }

  play(name) {
    if (!this.on) return;
    this.context ??= new AudioContext();
    for (const [frequency, after] of SOUNDS[name]) {
      const begin = this.context.currentTime + after;
      const tone = this.context.createOscillator();
      const volume = this.context.createGain();
      tone.frequency.value = frequency;
      tone.type = "triangle";
      volume.gain.setValueAtTime(0.18, begin);
      volume.gain.exponentialRampToValueAtTime(0.001, begin + LENGTH);
      tone.connect(volume).connect(this.context.destination);
      tone.start(begin);
      tone.stop(begin + LENGTH);
    }
  }
}
