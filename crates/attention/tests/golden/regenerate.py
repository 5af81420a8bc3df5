import importlib,sys
import storage
for n in sys.argv[1:]:
    m=importlib.import_module(n); t=storage.text(m.make())+"\n"; open(m.FILE,"w").write(t); print(n,len(t))
