"""A handle that is closed while threads work lets them finish, and refuses what comes after."""

import threading

import cued
from cued.errors import StoreError


def test_closing_while_threads_work_breaks_nothing(tmp_path):
    for number in range(4):
        said, going = [], threading.Barrier(5)
        memories = cued.open(tmp_path / f"{number}.db", embedder=None)
        tenant = memories.tenant("ada")

        def work(tenant=tenant, said=said, going=going) -> None:
            going.wait()
            try:
                while True:
                    tenant.remember("Ada drinks green tea.", conflicts=False)
                    tenant.recall("what does Ada drink?")
            except StoreError as error:
                said.append(f"{error}".rpartition(": ")[2])

        threads = [threading.Thread(target=work) for _ in range(4)]
        for each in threads:
            each.start()
        going.wait()
        memories.close()
        for each in threads:
            each.join()
        assert said == ["the store has been closed"] * 4
