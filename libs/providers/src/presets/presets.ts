import { africastalking } from './africastalking.js';
import { infobip } from './infobip.js';
import type { Preset } from './preset.js';
import { termii } from './termii.js';
import { twilio } from './twilio.js';
import { vonage } from './vonage.js';

/** By the name for `--preset`. */
export const presets: Readonly<Record<string, Preset>> = { africastalking, infobip, termii, twilio, vonage };
