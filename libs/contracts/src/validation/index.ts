export { editDistance } from './closest.js';
export { parseQueryNumbers } from './rules.js';
export { IsTimestamp } from './is-moment.js';
export { IsPhone } from './is-phone.js';
export { Nested, NestedList } from './nested.js';
export { Required } from './required.js';
export { validate, type Validated } from './validate.js';
