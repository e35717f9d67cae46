import { readFileSync } from 'node:fs';
import { docsFolder } from '../docs-folder.js';

const recordedUrl = 'http://localhost:3000';

/** The body of a real response by operation. A test of the API records them and compares them with a running system. */
export function responseExamples(publicUrl: string): Readonly<Record<string, unknown>> {
  const text = readFileSync(new URL('response-examples.json', docsFolder), 'utf8');
  return JSON.parse(text.replaceAll(recordedUrl, publicUrl)) as Record<string, unknown>;
}
