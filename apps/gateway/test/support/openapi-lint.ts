import { createConfig, lintFromString } from '@redocly/openapi-core';
import { strictRules } from './openapi-rules.js';

interface Document {
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly properties: Readonly<Record<string, object>> }>>;
  };
}

/** What the linter objects to, and every field without a description. */
export async function objectionsTo(source: string): Promise<string[]> {
  const config = await createConfig(strictRules);
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  return [
    ...problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`),
    ...undescribed(JSON.parse(source) as Document),
  ];
}

/** The linter looks for a description behind a reference, not beside it. */
const undescribed = ({ components }: Document): string[] =>
  Object.entries(components.schemas).flatMap(([name, { properties }]) =>
    Object.entries(properties)
      .filter(([, schema]) => !('description' in schema))
      .map(([field]) => `${name}.${field} needs @Describe`),
  );
