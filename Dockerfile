# syntax=docker/dockerfile:1
# docker build --build-arg VERSION=v1.2.3 -t msg:v1.2.3 .
# A test runs these steps as a script, so they keep to plain relative paths.
ARG NODE_VERSION=26.10.0

FROM node:${NODE_VERSION}-trixie-slim AS build
WORKDIR /build
COPY . .
RUN npm ci --ignore-scripts --no-audit --no-fund --workspace=packages/server --workspace=packages/postgres --workspace=packages/console --include-workspace-root
ARG VERSION=dev
RUN node scripts/set-version.ts "$VERSION" \
    && node node_modules/typescript/bin/tsc -b packages/server packages/postgres \
    && node scripts/copy-lua.ts \
    && node scripts/build-thread-program.ts \
    && node scripts/build-client-script.ts \
    && node scripts/build-console-pages.ts
# What runs needs neither tools nor optional packages: nothing is compiled, no native addon, no install script.
RUN npm ci --omit=dev --omit=optional --omit=peer --ignore-scripts --no-audit --no-fund --workspace=packages/server --workspace=packages/postgres \
    && rm -rf packages/*/src packages/*/test packages/*/tsconfig.json node_modules/@msg/testkit \
    && cd node_modules && rm -rf centrifuge events long undici-types @protobufjs @types # bundled into the console

FROM node:${NODE_VERSION}-trixie-slim
ARG VERSION=dev
LABEL org.opencontainers.image.title="msg" \
      org.opencontainers.image.description="Realtime messaging service, Centrifuge client protocol" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}"
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /build/package.json /build/LICENSE ./
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/packages/foundation ./packages/foundation
COPY --from=build /build/packages/protocol ./packages/protocol
COPY --from=build /build/packages/redis ./packages/redis
COPY --from=build /build/packages/engine ./packages/engine
COPY --from=build /build/packages/core ./packages/core
COPY --from=build /build/packages/command-line ./packages/command-line
COPY --from=build /build/packages/console ./packages/console
COPY --from=build /build/packages/postgres ./packages/postgres
COPY --from=build /build/packages/server ./packages/server
RUN ln -s /app/packages/server/bin/msg.js /usr/local/bin/msg \
    && mkdir -p -m 0700 /var/lib/msg \
    && chown node:node /var/lib/msg
USER node
VOLUME /var/lib/msg
EXPOSE 8000/tcp
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
    CMD ["msg", "health", "--pid", "1"]
ENTRYPOINT ["msg"]
CMD ["serve", "--addr", ":8000", "--state-dir", "/var/lib/msg"]
