import { createConfig, lintFromString } from '@redocly/openapi-core';
import { strictRules } from './openapi-rules.js';

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly properties: Readonly<Record<string, object>> }>>;
  };
}

interface Described {
  readonly operationId: string;
  readonly requestBody?: {
    readonly content: Readonly<Record<string, Content>>;
  };
}

interface Content {
  readonly schema: { readonly $ref?: string };
  readonly examples?: Readonly<Record<string, { readonly value: object }>>;
}

/** The problems the linter finds, fields without a description, and fields of examples that are not described. */
export async function lintOpenApi(source: string): Promise<string[]> {
  const document = JSON.parse(source) as Document;
  const config = await createConfig(strictRules);
  const found = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  const problems = found.filter(
    ({ ruleId, location }) =>
      // Customers respond to webhooks, and choose the headers.
      !(ruleId === 'response-contains-header' && location[0]?.pointer?.startsWith('#/webhooks/')),
  );
  return [
    ...problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`),
    ...undescribed(document),
    ...undescribedInExamples(document),
  ];
}

/** The linter checks the description of a reference's target, not of the field itself. */
const undescribed = ({ components }: Document): string[] =>
  Object.entries(components.schemas).flatMap(([name, { properties }]) =>
    Object.entries(properties)
      .filter(([, schema]) => !('description' in schema))
      .map(([field]) => `${name}.${field} needs @ApiField`),
  );

const undescribedInExamples = ({ paths, components }: Document): string[] =>
  Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ operationId, requestBody }) =>
      Object.values(requestBody?.content ?? {}).flatMap(({ schema: { $ref = '' }, examples = {} }) =>
        Object.values(examples)
          .flatMap(({ value }) => Object.keys(value))
          .filter((field) => !(field in (components.schemas[$ref.split('/').at(-1) ?? '']?.properties ?? {})))
          .map((field) => `An example of ${operationId} has ${field}, which is not described`),
      ),
    );
