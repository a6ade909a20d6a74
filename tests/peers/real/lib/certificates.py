"""Certificates and keys of a control plane, made with the openssl program.

An authority signs for servers (names and addresses) and for people (a user and groups). Every file is in
one folder; a name is made once and found again afterwards.
"""
import datetime
import os
import subprocess


def _openssl(*arguments, text=None):
    done = subprocess.run(["openssl", *arguments], input=text, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"openssl {arguments[0]}: {done.stderr.strip()}")
    return done.stdout


def make_key(path):
    """A key for a certificate."""
    _openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", path)
    os.chmod(path, 0o600)


def make_token_keys(folder):
    """The keys that sign and check tokens of service accounts: RSA, as every release accepts."""
    private, public = os.path.join(folder, "sa.key"), os.path.join(folder, "sa.pub")
    _openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", private)
    _openssl("pkey", "-in", private, "-pubout", "-out", public)
    return private, public


class Authority:
    """Signs certificates; its own is `certificate`."""

    def __init__(self, folder, name):
        self.folder = folder
        self.certificate = os.path.join(folder, "ca.crt")
        self.key = os.path.join(folder, "ca.key")
        if not os.path.exists(self.certificate):
            os.makedirs(folder, exist_ok=True)
            make_key(self.key)
            _openssl("req", "-x509", "-new", "-key", self.key, "-days", "30", "-subj", f"/CN={name}",
                     "-addext", "keyUsage=critical,keyCertSign,cRLSign", "-out", self.certificate)

    def server(self, name, hosts):
        """A server's certificate for names and addresses; returns the paths of certificate and key."""
        names = ",".join(("IP:" if host[0].isdigit() else "DNS:") + host for host in hosts)
        return self._sign(name, f"/CN={name}", f"subjectAltName={names}\nextendedKeyUsage=serverAuth\n")

    def client(self, name, user, groups=(), until=None):
        """A person's certificate, which may be of short life; returns the paths of certificate and key."""
        subject = "".join(f"/O={group}" for group in groups) + f"/CN={user}"
        return self._sign(name, subject, "extendedKeyUsage=clientAuth\n", until)

    def _sign(self, name, subject, extensions, until=None):
        certificate, key = (os.path.join(self.folder, name + ending) for ending in (".crt", ".key"))
        make_key(key)
        request = _openssl("req", "-new", "-key", key, "-subj", subject)
        extension_file = os.path.join(self.folder, name + ".ext")
        with open(extension_file, "w", encoding="utf-8") as file:
            file.write(extensions)
        if until is None:
            text = _openssl("x509", "-req", "-CA", self.certificate, "-CAkey", self.key, "-days", "30",
                            "-set_serial", str(int.from_bytes(os.urandom(8), "big") >> 1),
                            "-extfile", extension_file, text=request)
        else:
            text = self._sign_until(name, request, extension_file, until)
        with open(certificate, "w", encoding="utf-8") as file:
            file.write(text)
        return certificate, key

    def _sign_until(self, name, request, extension_file, until):
        """`openssl x509` knows days only; `openssl ca` knows seconds and wants a small database."""
        base = os.path.join(self.folder, name)
        with open(base + ".cnf", "w", encoding="utf-8") as file:
            file.write(f"[ca]\ndefault_ca=this\n[this]\ndatabase={base}.index\nrand_serial=yes\n"
                       f"new_certs_dir={self.folder}\ndefault_md=sha256\npolicy=any\nunique_subject=no\n"
                       "[any]\ncommonName=supplied\norganizationName=optional\n")
        with open(base + ".index", "w", encoding="utf-8"):
            pass
        with open(base + ".csr", "w", encoding="utf-8") as file:
            file.write(request)
        form = "%Y%m%d%H%M%SZ"
        begin = until - datetime.timedelta(hours=1)
        _openssl("ca", "-batch", "-notext", "-config", base + ".cnf", "-cert", self.certificate, "-keyfile",
                 self.key, "-in", base + ".csr", "-startdate", begin.strftime(form), "-enddate",
                 until.strftime(form), "-extfile", extension_file, "-out", base + ".pem")
        with open(base + ".pem", encoding="utf-8") as file:
            return file.read()
