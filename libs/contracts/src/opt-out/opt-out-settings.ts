import type { FieldError } from '@gangan/protocol';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsOptional, IsString } from 'class-validator';
import { hasVisibleText } from '../sms/send-sms.rules.js';
import { MaxLength } from '../validation/fields/decorators.js';
import { parseSettings } from '../validation/parse-settings.js';
import type { Validated } from '../validation/validate.js';
import { matchKeyword, maxStopWordLength, normalizeWord } from './keywords.js';

const maxStopWords = 50;
/** A help text has at most 8 pages in any alphabet. */
const maxHelpTextLength = 480;

/** The `settings.opt_out` of an organisation. */
export class OptOutSettings {
  /** Stop words in addition to the standard ones. */
  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(maxStopWords)
  @IsString({ each: true })
  stop_words?: string[];

  /** The answer to HELP; absent if there is none. */
  @IsOptional()
  @IsString()
  @MaxLength(maxHelpTextLength)
  help_text?: string;
}

/** Validates settings; `undefined` means none. */
export function parseOptOutSettings(plain: unknown): Validated<OptOutSettings> {
  const result = parseSettings({ key: 'opt_out', name: 'an opt-out setting', dto: OptOutSettings }, plain);
  if (!result.ok) return result;
  const { stop_words: words = [], help_text: text } = result.value;
  const errors = words.flatMap((word): FieldError[] => {
    const problem = stopWordFault(word);
    return problem === undefined
      ? []
      : [
          {
            field: 'stop_words',
            message: `stop_words: ${JSON.stringify(word)} ${problem}`,
            type: 'value_error',
          },
        ];
  });
  if (text !== undefined && (!hasVisibleText(text) || text.includes('\0')))
    errors.push({
      field: 'help_text',
      message: 'help_text must contain visible text, and may not contain NUL',
      type: 'value_error',
    });
  return errors.length === 0 ? result : { ok: false, errors };
}

function stopWordFault(word: string): string | undefined {
  const { length } = normalizeWord(word);
  if (length === 0) return 'has no letters or digits';
  if (length > maxStopWordLength) return `is longer than ${maxStopWordLength} characters`;
  const meaning = matchKeyword(word);
  return meaning === undefined || meaning === 'stop' ? undefined : `has another meaning: ${meaning}`;
}
