import openapiTS, { astToString, type OpenAPI3, type OperationObject } from 'openapi-typescript';

/**
 * Types of what the SDK sends and receives. Its package must be small, so they have no descriptions: its methods have
 * some, and docs/openapi.json has all.
 */
export async function generateTypes(document: string): Promise<string> {
  const { paths, webhooks, components, ...rest } = JSON.parse(document, withoutTexts) as OpenAPI3;
  for (const item of Object.values({ ...paths, ...webhooks }))
    for (const operation of Object.values(item) as OperationObject[]) keepContent(operation);
  const schemas = components?.schemas ?? {};
  const types = await openapiTS({ ...rest, paths, webhooks, components: { schemas } } as OpenAPI3, {
    emptyObjectsUnknown: true,
  });
  return `${header}${compact(astToString(types))}`;
}

const header = '// Generated from docs/openapi.json; `pnpm openapi` writes it.\n';

const omitted = new Set(['example', 'examples', 'headers', 'x-codeSamples', 'security', 'format']);
const texts = new Set(['summary', 'description']);

/** A schema may have a field that is called `description`, whose value is an object. */
const withoutTexts = (name: string, value: unknown): unknown =>
  omitted.has(name) || (texts.has(name) && typeof value === 'string') ? undefined : value;

function keepContent(operation: OperationObject): void {
  const { parameters = [], responses = {} } = operation;
  operation.parameters = parameters.filter((each) => !('$ref' in each) && each.in !== 'header');
  operation.responses = Object.fromEntries(Object.entries(responses).filter(([status]) => status === '200'));
}

/** Removes the parts that are the same for all operations. */
const compact = (types: string): string =>
  types
    .replaceAll(/^ +\w+\?: never;\n/gm, '')
    .replaceAll(/^ +headers: \{\n +\[name: string\]: unknown;\n +\};\n/gm, '')
    .replaceAll(/^ +parameters: \{\n +\};\n/gm, '');
