/** In contracts, because OTPs are counted alike. */
export { pagesOf, type Paging } from '@gangan/contracts';
