# npm run build && docker build -t sightline . && docker run -p 3000:3000 -v sightline:/data sightline
FROM debian:bookworm-slim
RUN useradd --system --home-dir /data sightline && install --directory --owner=sightline /data
COPY dist/sightline /usr/local/bin/sightline
USER sightline
ENV DATA_DIR=/data
VOLUME /data
EXPOSE 3000
# Exec form, so that SIGTERM reaches the server and it commits before it ends.
ENTRYPOINT ["sightline"]
CMD ["serve"]
