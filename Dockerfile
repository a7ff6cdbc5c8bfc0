# npm run build && docker build -t sightline . && docker run -p 3000:3000 -v sightline:/data sightline
#
# For another processor: npm run build:all, then docker build --platform linux/arm64 and
# --build-arg EXECUTABLE=sightline-linux-arm64. The .dockerignore lets in nothing but executables.
FROM debian:bookworm-slim
ARG EXECUTABLE=sightline
LABEL org.opencontainers.image.title="Sightline" \
  org.opencontainers.image.description="Self-hosted web analytics that AI agents read over HTTP" \
  org.opencontainers.image.licenses="MIT"
# A number and no name, so that Kubernetes can tell that it is not root.
RUN install --directory --owner=10001 --group=10001 --mode=0700 /data
COPY --chmod=755 dist/${EXECUTABLE} /usr/local/bin/sightline
USER 10001:10001
ENV DATA_DIR=/data
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s CMD ["sightline", "health"]
# Exec form, so that SIGTERM reaches the server and it commits before it ends.
ENTRYPOINT ["sightline"]
CMD ["serve"]
