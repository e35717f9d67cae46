export { gsmPatterns, isSender } from './gsm-alphabet.js';
export { measureText, type TextSize } from './pages.js';
