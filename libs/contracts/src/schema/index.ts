export { ApiSchema, getSchemaOptions } from './describe-whole.js';
export { ApiField } from './describe.js';
export type { JsonSchema } from './json-schema.js';
export { Schemas } from './schemas.js';
