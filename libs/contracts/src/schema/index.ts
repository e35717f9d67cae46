export { DescribeWhole, wholeOf } from './describe-whole.js';
export { Describe } from './describe.js';
export type { JsonSchema } from './json-schema.js';
export { Schemas } from './schemas.js';
