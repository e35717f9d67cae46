import MiniSearch from 'minisearch';
import type { RenderedGuide } from './render-guides.js';

/** Used by the index and by the script that searches it, which need the same options. */
export const searchOptions = {
  fields: ['title', 'heading', 'text'],
  storeFields: ['title', 'heading', 'start'],
};

/** The index of all sections as JSON. The id of a section is its address below the guides. */
export function searchIndex(pages: readonly RenderedGuide[]): string {
  const index = new MiniSearch(searchOptions);
  for (const { guide, sections } of pages)
    index.addAll(
      sections.map(({ id, heading, text }) => ({
        id: id === '' ? guide.name : `${guide.name}#${id}`,
        title: guide.title,
        heading,
        text,
        start: text.trim().slice(0, 120),
      })),
    );
  return JSON.stringify(index);
}
