# One image for every program of the service. The command chooses the program: gateway/main.ts (the default),
# consumers/main.ts, or ops/main.ts with arguments. Node runs the TypeScript directly.

# The same Node as the "node" package in package.json.
ARG NODE_IMAGE=node:24.21.0-slim

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Source maps and declarations are half of what npm installs, and no program reads them.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error && \
    find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete

FROM ${NODE_IMAGE}
ENV NODE_ENV=production \
    PORT=8080 \
    METRICS_PORT=9090
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json ./
COPY schemas schemas
COPY domain domain
COPY intake intake
COPY store store
COPY service service
COPY kafka kafka
COPY feed feed
COPY administration administration
COPY gateway gateway
COPY consumers consumers
COPY ops ops
# The client, by which a command follows the stream.
COPY clients/typescript/src clients/typescript/src
# The guides, which gateways serve.
COPY docs docs
# The files belong to root: the program cannot change itself.
USER node
EXPOSE 8080 9090
# Checks that the gateway is alive, not ready: a gateway that waits for a server must not be ended.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.METRICS_PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Node is the first process, without a shell or npm around it, so it receives SIGTERM itself.
ENTRYPOINT ["node"]
CMD ["gateway/main.ts"]
