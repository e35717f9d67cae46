export { gsmPatterns, isSender } from './gsm-alphabet.js';
export { pagesOf, type Paging } from './pages.js';
