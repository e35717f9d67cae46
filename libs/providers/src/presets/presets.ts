import { africastalking } from './africastalking.js';
import { infobip } from './infobip.js';
import { hlrLookups } from './lookup/hlr-lookups.js';
import { termiiDnd, termiiNumber } from './lookup/termii-lookup.js';
import { twilioLookup } from './lookup/twilio-lookup.js';
import type { LookupPreset, Preset } from './preset.js';
import { plivo } from './plivo.js';
import { termii } from './termii.js';
import { twilio } from './twilio.js';
import { vonage } from './vonage.js';

export const messagePresets: Readonly<Record<string, Preset>> = {
  africastalking,
  infobip,
  plivo,
  termii,
  twilio,
  vonage,
};

const lookupPresets: Readonly<Record<string, LookupPreset>> = {
  'hlr-lookups': hlrLookups,
  'termii-dnd': termiiDnd,
  'termii-number': termiiNumber,
  'twilio-lookup': twilioLookup,
};

/** Presets by the name for `--preset`. */
export const presets: Readonly<Record<string, Preset | LookupPreset>> = {
  ...messagePresets,
  ...lookupPresets,
};
