import type { Preset } from './preset.js';
import { termii } from './termii.js';

/** By the name for `--preset`. */
export const presets: Readonly<Record<string, Preset>> = { termii };
