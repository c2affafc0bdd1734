using System.Diagnostics;
using System.Globalization;
using System.Text;
using System.Text.Json;
using Weir.Lab.Engine;
using Weir.Lab.Load;
using Weir.Lab.Measuring;

namespace Weir.Lab.Processes;

/// <summary>An application with an isolated class, published once and started in every round.</summary>
/// <param name="mode">What the application's project calls it.</param>
/// <param name="workers">How many workers are started one after the other to see when they are ready.</param>
internal sealed class PublishedContender(string mode, int workers) : Contender(mode)
{
    private const string Project = "Weir.Lab.PublishedApp";

    private PublishedProgram? _program;

    public override Availability Availability =>
        Name == PublishedProgram.Native ? PublishedProgram.NeedsOfNative : Availability.Present;

    public override bool WarmsUp => false;

    public override Task PrepareAsync(CancellationToken cancellation) => Task.Run(() => _program = PublishedProgram.Publish(Project, Name), cancellation);

    public override async Task<Round> RunAsync(CancellationToken cancellation)
    {
        var round = new Round().Add("size", Files().Sum(file => file.Length) / 1e6, "MB").Add("files", Files().Length, "");
        var port = ColdStart.FreePort();
        var began = Clock.Now;
        using var process = Process.Start(new ProcessStartInfo(_program!.Executable, ["--urls", string.Create(CultureInfo.InvariantCulture, $"http://127.0.0.1:{port}")])
        {
            RedirectStandardOutput = true,
        })!;
        try
        {
            return await Task.Run(() => Measure(round, process, port, began), cancellation);
        }
        finally
        {
            process.Kill(entireProcessTree: true);
            await process.WaitForExitAsync(CancellationToken.None);
        }
    }

    public override ValueTask DisposeAsync()
    {
        _program?.Dispose();
        return base.DisposeAsync();
    }

    private Round Measure(Round round, Process process, int port, long began)
    {
        // 1. The host, which has no worker yet.
        var first = ColdStart.FirstByte(process, port, "/Hello/World", "Hello, world");
        round.Add("exec to first response", Clock.MillisecondsBetween(began, first), "ms")
            .Add("resident", new ProcessMeter(process.Id).Resident / 1e6, "MB");

        // 2. A call that has to wait for its worker.
        var before = Clock.Now;
        var worker = int.Parse(Get(port, "/Tasks/Identify"), CultureInfo.InvariantCulture);
        round.Add("first isolated call", Clock.MillisecondsBetween(before, Clock.Now), "ms");
        if (!new ProcessMeter(process.Id).Children.Contains(worker))
            throw new InvalidDataException($"The isolated call of {Name} ran in process {worker}, which is no worker.");

        round.Add("resident, worker", new ProcessMeter(worker).Resident / 1e6, "MB")
            .Add("private memory, worker", new ProcessMeter(worker).PrivateDirty / 1e6, "MB");

        // 3. Workers one after the other, from their start to READY.
        var ready = JsonSerializer.Deserialize<double[]>(Get(port, string.Create(CultureInfo.InvariantCulture, $"/Starts/Ready?count={workers}")))!;
        Array.Sort(ready);
        return round.Add("start to READY", ready[ready.Length / 2], "ms");
    }

    private static string Get(int port, string path)
    {
        using var stream = RawStream.Get(port, path);
        var body = new StringBuilder();
        stream.Read((part, _) => body.Append(Encoding.UTF8.GetString(part)));
        return stream.Status == 200 ? body.ToString() : throw new InvalidDataException($"{path} gave {stream.Status} and '{body}'.");
    }

    private FileInfo[] Files() => [.. _program!.Folder.GetFiles("*", SearchOption.AllDirectories).Where(file => file.Extension is not (".pdb" or ".xml" or ".dbg"))];
}
