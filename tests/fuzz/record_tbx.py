#!/usr/bin/env python3
"""record_tbx.py DEVICE_SERVE MODEL OUTPUT PROGRAM [ARG]...

Run an OpenCL program on the unmodified Intel driver against device-serve, and
write what the connection that computes sent: a seed for the socket's fuzz target
(tests/fuzz/corpus/tbx, packed with zstd -19)."""
import os
import socket
import subprocess
import sys
import threading


def serve(model, command):
    server = subprocess.Popen([command, "--model", model], stdout=subprocess.PIPE, text=True)
    port = int(server.stdout.readline().split()[1])
    environment = {}
    while True:
        words = server.stdout.readline().split()
        if words[0] != "environment":
            return server, port, environment
        name, value = words[1].split("=", 1)
        environment[name] = value


def relay(source, target, kept):
    try:
        while data := source.recv(65536):
            target.sendall(data)
            if kept is not None:
                kept += data
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def accept(listener, port, streams):
    while True:
        try:
            client, _ = listener.accept()
        except OSError:
            return
        upstream = socket.create_connection(("127.0.0.1", port))
        streams.append(bytearray())
        threading.Thread(target=relay, args=(client, upstream, streams[-1]), daemon=True).start()
        threading.Thread(target=relay, args=(upstream, client, None), daemon=True).start()


def main():
    command, model, output, *program = sys.argv[1:]
    server, port, environment = serve(model, command)
    listener = socket.create_server(("127.0.0.1", 0))
    streams = []
    threading.Thread(target=accept, args=(listener, port, streams), daemon=True).start()
    environment["TbxPort"] = str(listener.getsockname()[1])
    environment["OCL_ICD_VENDORS"] = "/etc/OpenCL/vendors/intel.icd"
    subprocess.run(program, env={**os.environ, **environment}, check=True, timeout=300)
    listener.close()
    server.terminate()
    with open(output, "wb") as file:
        file.write(max(streams, key=len))


main()
