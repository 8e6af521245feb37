# Debian with Python, for machines without an image registry: `debootstrap` made the files.
FROM scratch
ADD rootfs.tar /
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt \
    PIP_BREAK_SYSTEM_PACKAGES=1
CMD ["python3"]
