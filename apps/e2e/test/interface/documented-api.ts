import type { ReachableSystem } from '@gangan/testing';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly required?: readonly string[];
  readonly examples?: readonly unknown[];
  /** Two rules for one keyword; the narrower one is outside. */
  readonly allOf?: readonly Schema[];
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: Schema;
  readonly example?: unknown;
}

interface Content {
  readonly content?: Readonly<Record<string, MediaType>>;
}

interface MediaType {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: Fields }>>;
}

type Fields = Readonly<Record<string, unknown>>;

interface Described {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly security: readonly object[];
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: Content & { readonly required: boolean };
  readonly responses: Readonly<Record<string, Content | { readonly $ref: string }>>;
}

interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
}

export interface Operation {
  readonly id: string;
  readonly tag: string;
  readonly method: string;
  readonly path: string;
  readonly isPublic: boolean;
  readonly parameters: readonly Parameter[];
  readonly body?: {
    readonly schema: Schema;
    readonly required: boolean;
    /** Examples of whole bodies; absent if the examples of the fields make one. */
    readonly examples: readonly Fields[];
  };
  /** An example of the file it takes instead of a JSON body. */
  readonly file?: string;
  /** The body of a response. */
  readonly example?: unknown;
  /** Why a response with this status does not match the document; undefined if it does. */
  faults(status: number, body: unknown): string | undefined;
}

const json = 'application/json';
const errorAnswer: Schema = { $ref: '#/components/schemas/ErrorAnswer' };
const anything: Schema = {};
export const csv = 'text/csv';

/** The OpenAPI document of a gateway: builds requests and checks responses. */
export class DocumentedApi {
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true });
  /** Compiled on first use, because that takes long. */
  private readonly validators = new Map<Schema, ValidateFunction>();
  /** Those of API keys and monitoring. */
  readonly operations: readonly Operation[];
  /** Those that recipients of messages open in a browser. */
  readonly redirects: readonly Operation[];

  /** Reads the document from the system under test. */
  static async of(system: ReachableSystem): Promise<DocumentedApi> {
    const { body } = await system.request({ path: '/openapi.json' });
    return new DocumentedApi(body as OpenApiDocument);
  }

  constructor(private readonly document: OpenApiDocument) {
    addFormats.default(this.ajv);
    for (const format of ['phone', 'nigerian-phone', 'phones', 'recipient']) this.ajv.addFormat(format, true);
    this.ajv.addSchema(closed(document) as object, 'api');
    const withStatus = (status: string): Operation[] =>
      Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.entries(methods)
          .filter(([, { responses }]) => status in responses)
          .map(([method, described]) => this.operation(path, method, described)),
      );
    this.redirects = withStatus('302');
    const redirected = new Set(this.redirects.map(({ id }) => id));
    this.operations = withStatus('200').filter(({ id }) => !redirected.has(id));
  }

  /** The target of a reference. */
  resolve<T>(part: T | { readonly $ref: string }): T {
    if (typeof part !== 'object' || part === null || !('$ref' in part)) return part;
    const steps = part.$ref.slice(2).split('/');
    return steps.reduce<unknown>(
      (place, step) => (place as Record<string, unknown>)[step],
      this.document,
    ) as T;
  }

  /** Checks responses outside of an operation: unknown path, wrong method. */
  readonly refusal = (body: unknown): string | undefined => this.held(this.validator(errorAnswer), body);

  /** Returns a check whether a value matches a schema. */
  fits(schema: Schema): (value: unknown) => boolean {
    const validator = this.validator(schema);
    return (value) => validator(value);
  }

  private operation(path: string, method: string, described: Described): Operation {
    const { operationId, tags, security, parameters = [], requestBody, responses } = described;
    const { schema, examples = {} } = requestBody?.content?.[json] ?? {};
    const file = requestBody?.content?.[csv]?.example;
    const example = Object.values((responses['200'] as Content | undefined)?.content ?? {})[0]?.example;
    const answers = new Map(Object.entries(responses));
    return {
      id: operationId,
      tag: tags[0] ?? '',
      method: method.toUpperCase(),
      path,
      isPublic: security.length === 0,
      parameters: parameters.map((parameter) => this.resolve(parameter)),
      ...(schema && {
        body: {
          schema,
          required: requestBody?.required ?? false,
          examples: Object.values(examples).map(({ value }) => value),
        },
      }),
      ...(file !== undefined && { file: file as string }),
      ...(example !== undefined && { example }),
      faults: (status, body) => {
        const answer = answers.get(String(status)) ?? (status >= 400 ? answers.get('default') : undefined);
        if (!answer) return `the status ${status} is not described`;
        const { content } = this.resolve(answer);
        const expected = (content?.[json] ?? content?.[csv])?.schema ?? anything;
        return this.held(this.validator(expected), body);
      },
    };
  }

  private validator(schema: Schema): ValidateFunction {
    const known = this.validators.get(schema);
    if (known) return known;
    const own = JSON.parse(JSON.stringify(closed(schema)).replaceAll('"#/', '"api#/')) as object;
    const validator = this.ajv.compile(own);
    this.validators.set(schema, validator);
    return validator;
  }

  private held(validator: ValidateFunction, body: unknown): string | undefined {
    return validator(body) ? undefined : this.ajv.errorsText(validator.errors);
  }
}

/** Keywords whose subschemas concern properties of a schema that is already closed. */
const conditions: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'not']);

/** Responses must not contain undocumented fields. */
function closed(part: unknown): unknown {
  if (typeof part !== 'object' || part === null) return part;
  if (Array.isArray(part)) return part.map(closed);
  const copy = Object.fromEntries(
    Object.entries(part).map(([name, inner]) => [name, conditions.has(name) ? inner : closed(inner)]),
  );
  const isOpen = 'properties' in copy && !('additionalProperties' in copy);
  return isOpen ? { ...copy, additionalProperties: false } : copy;
}
