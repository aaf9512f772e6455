#!/bin/sh
# An authority and a certificate for one host, where they are not there yet: certificates.sh FOLDER HOST
set -eu
folder=$1
host=$2
[ -f "$folder/ca.pem" ] && exit 0
umask 077
cd "$folder"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 \
  -subj "/CN=duolog authority" -addext "basicConstraints=critical,CA:TRUE" \
  -addext "keyUsage=critical,keyCertSign" -keyout ca.key -out ca.new
openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$host" \
  -keyout server.key -out server.csr
printf 'subjectAltName=DNS:%s\nextendedKeyUsage=serverAuth\n' "$host" >server.ext
openssl x509 -req -in server.csr -CA ca.new -CAkey ca.key -CAcreateserial -days 3650 \
  -extfile server.ext -out server.pem
# Nodes run as another user, and read the authority's certificate only.
chmod 755 . && chmod 644 ca.new server.pem
mv ca.new ca.pem
