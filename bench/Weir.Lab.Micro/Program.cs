using BenchmarkDotNet.Running;
using Weir.Lab.Micro;

// In this process: a project of its own for each job would build all of Weir again, without its lock files.
string[] defaults = ["--inProcess", "--artifacts", "artifacts/benchmarks"];
string[] all = args.Contains("--filter") ? [] : ["--filter", "*"];
BenchmarkSwitcher.FromAssembly(typeof(QueryBinding).Assembly).Run([.. defaults, .. all, .. args]);
