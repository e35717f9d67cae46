import { createHash } from 'node:crypto';

const style = `
body { margin: 0; background: #fff; }
.swagger-ui, .swagger-ui .info .title, .swagger-ui .opblock-tag, .swagger-ui .opblock .opblock-summary-description {
  font-family: system-ui, sans-serif; }
.swagger-ui .wrapper { max-width: 1080px; }
.swagger-ui .info { margin: 32px 0 16px; }
.swagger-ui .info .title small { top: -8px; }
.swagger-ui .scheme-container { box-shadow: none; border-block: 1px solid #e5e7eb; padding: 16px 0; }
.swagger-ui .opblock { border-radius: 8px; box-shadow: none; }
`;

/** Browsers send no body with a GET, so its fields are moved to the query. */
const script = `
const base = new URL('.', document.baseURI).href.replace(/\\/$/, '');
const withoutGetBody = (request) => {
  if (request.method !== 'GET' || !request.body) return request;
  const url = new URL(request.url);
  try {
    for (const [name, value] of Object.entries(JSON.parse(request.body)))
      if (!url.searchParams.has(name)) url.searchParams.set(name, value);
  } catch {}
  delete request.body;
  return Object.assign(request, { url: url.href });
};
fetch('openapi.json').then((response) => response.json()).then((spec) => {
  const [server] = spec.servers;
  SwaggerUIBundle({
    spec: server.url === base ? spec : { ...spec, servers: [{ url: base, description: 'The address of this page' }, server] },
    dom_id: '#docs',
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    requestSnippetsEnabled: true,
    tryItOutEnabled: true,
    validatorUrl: null,
    requestInterceptor: withoutGetBody,
  });
});
`;

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Allows only the assets of this page and requests to the gateway. */
export const contentSecurityPolicy = [
  `default-src 'none'`,
  `script-src 'self' ${hashOf(script)}`,
  `style-src 'self' ${hashOf(style)}`,
  `img-src 'self' data:`,
  `connect-src 'self'`,
  `base-uri 'self'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ');

/** The page that shows the OpenAPI document. Its URLs are relative, because a proxy may serve it below a path. */
export const docsPage = (version: string, withSlash: boolean): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Gangan HTTP API</title>
<base href="${withSlash ? '../' : './'}">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css?v=${version}">
<style>${style}</style>
</head>
<body>
<div id="docs"></div>
<script src="docs/swagger-ui-bundle.js?v=${version}"></script>
<script>${script}</script>
</body>
</html>
`;
