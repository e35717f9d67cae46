export { gsmPatterns, isSender, senderPattern } from './gsm-alphabet.js';
export { pagesOf, type Paging } from './pages.js';
