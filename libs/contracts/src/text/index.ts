export { pagesOf, type Paging } from './pages.js';
