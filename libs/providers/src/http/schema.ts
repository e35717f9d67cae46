import { Ajv } from 'ajv';

/** Parts of the JSON Schema of settings. */
export const object = (required: readonly string[], properties: object): object => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties,
});
export const text = { type: 'string', minLength: 1, maxLength: 4_096 };
export const texts = { type: 'object', additionalProperties: { type: 'string', maxLength: 4_096 } };
export const pointer = { type: 'string', pattern: '^/', maxLength: 256 };
/** `""` is the whole document. */
export const listPointer = { ...pointer, pattern: '^(/|$)' };

/**
 * What settings must look like. The schemas take up to half a second to compile, and an app without such providers checks
 * no settings, so a schema is compiled when it is first used.
 */
export class Shape<T> {
  private static readonly ajv = new Ajv({ allErrors: true, allowUnionTypes: true });

  constructor(private readonly schema: object) {}

  fits(settings: unknown): settings is T {
    return Shape.ajv.compile<T>(this.schema)(settings);
  }

  /** Names every fault. Values are never quoted: they may be secrets. */
  faultsOf(settings: unknown): string[] {
    const check = Shape.ajv.compile(this.schema);
    check(settings);
    return (check.errors ?? []).map(({ instancePath, message = '', params }) => {
      const named = params as { additionalProperty?: string; allowedValues?: readonly string[] };
      const detail = named.additionalProperty ?? named.allowedValues?.join(', ');
      return `settings${instancePath.replaceAll('/', '.')} ${message}${detail === undefined ? '' : `: ${detail}`}`;
    });
  }
}
