using System.Globalization;
using Weir;
using Weir.Runtime;

namespace Showcase;

/// <summary>What stands in the terminal once the showcase serves: read off the running application, not claimed.</summary>
internal static class StartText
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(5);

    internal static async Task WriteAsync(WebApplication app, string? store, TextWriter output)
    {
        var catalogs = app.Services.GetRequiredService<WeirCatalogs>();
        var runtime = app.Services.GetRequiredService<WeirRuntime>();
        var address = app.Urls.First().Replace("[::]", "localhost", StringComparison.Ordinal);

        var text = new StringWriter(CultureInfo.InvariantCulture);
        text.WriteLine($"Weir showcase at {address} (process {Environment.ProcessId})");
        text.WriteLine("The page at / has a button for every operation, the one at /swagger its parameters and results.");
        if (app.Environment.IsDevelopment())
        {
            text.WriteLine("The dashboard at /weir/ shows what it does, and what is wrong; two waves of work, a button of the page, are the picture at /weir/#/pool/hashing.");
        }

        WriteOperations(text, catalogs);
        WriteJobs(text, catalogs, store);
        WriteLane(text, runtime.Lane);
        WritePools(text, await FirstWorkersAsync(runtime));
        WriteCurls(text, address);
        await output.WriteAsync(text.ToString());
    }

    /// <summary>A worker that is ready has its limits; one that still starts could yet fail to get them.</summary>
    private static async Task<IReadOnlyList<PoolSnapshot>> FirstWorkersAsync(WeirRuntime runtime)
    {
        using var patience = new CancellationTokenSource(Patience);
        try
        {
            await runtime.WaitUntilReadyAsync(patience.Token);
        }
        catch (Exception failure) when (failure is WeirException or OperationCanceledException)
        {
            // The log says why, and the lines below what there is.
        }

        return runtime.Pools;
    }

    private static void WriteOperations(StringWriter text, WeirCatalogs catalogs)
    {
        text.WriteLine();
        text.WriteLine("Served, by GET and POST; those with a star by POST only");
        foreach (var service in catalogs.Services)
        {
            var names = service.Operations.Select(static operation => operation.Verbs.HasFlag(Verbs.Get) ? operation.Name : operation.Name + "*");
            text.WriteLine($"  {service.Name,-11}{string.Join(' ', names)}");
        }
    }

    private static void WriteJobs(StringWriter text, WeirCatalogs catalogs, string? store)
    {
        text.WriteLine();
        text.WriteLine("Also as jobs, which outlive their request");
        var kinds = from service in catalogs.Services from operation in service.Operations where operation.Job is not null select operation.ToString();
        text.WriteLine($"  {string.Join(' ', kinds)}, stored in {store ?? $"memory; --{JobStore.Setting} names a file"}");
    }

    private static void WriteLane(StringWriter text, LaneSnapshot lane)
    {
        text.WriteLine();
        text.WriteLine("The lane, for operations that block");
        text.WriteLine($"  {lane.Threads} threads now, at least {lane.MinThreads}, at most {lane.MaxThreads}; {lane.QueueLimit} calls may wait");
    }

    private static void WritePools(StringWriter text, IReadOnlyList<PoolSnapshot> pools)
    {
        text.WriteLine();
        text.WriteLine("The pools of worker processes, and what keeps a worker apart on this machine");
        if (pools.Count == 0)
        {
            text.WriteLine("  none: isolated operations run in this process, as they do under a debugger");
        }

        foreach (var pool in pools)
        {
            string[] now = [.. pool.Workers.GroupBy(static worker => worker.State).Select(static group => $"{group.Count()} {group.Key}")];
            text.WriteLine($"  {pool.Name,-11}{pool.MinWorkers} to {pool.MaxWorkers} workers, now {(now.Length == 0 ? "none" : string.Join(", ", now))}; {pool.QueueLimit} calls may wait");
            text.WriteLine($"             {pool.Isolation}");
        }
    }

    private static void WriteCurls(StringWriter text, string address)
    {
        text.WriteLine();
        text.WriteLine("Try");
        text.WriteLine($"  curl -N '{address}/Weather/Next.ndjson?days=20&delay=200'");
        text.WriteLine($"  curl -N '{address}/Weather/NextIsolated.sse?days=10&delay=200'");
        text.WriteLine($"  curl '{address}/Perf/Echo?name=weir&x=40&y=two&e=Stone'");
        text.WriteLine($"  curl --data-binary abc -H 'Content-Type: application/octet-stream' {address}/Hasher/Hash");
        text.WriteLine($"  curl -d kind=Segv {address}/Neighbour/Crash");
        text.WriteLine($"  curl -s -d pages=10 -H 'Prefer: respond-async' {address}/Reports/Build | grep -o '/$jobs/[^\"]*/items' | xargs -I{{}} curl -sN -H 'Accept: application/x-ndjson' {address}{{}}");
    }
}
