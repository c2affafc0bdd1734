using System.Diagnostics;
using System.Globalization;
using System.Text;
using System.Text.Json;
using Weir.Lab.Engine;
using Weir.Lab.Experiments;
using Weir.Lab.Load;
using Weir.Lab.Measuring;

namespace Weir.Lab.Processes;

/// <summary>An application with an isolated class, published once and started in every round.</summary>
/// <param name="mode">What the application's project calls it.</param>
/// <param name="workers">How many workers are started one after the other to see when they are ready.</param>
internal sealed class PublishedContender(string mode, int workers) : Contender(mode)
{
    private const string Project = "Weir.Lab.PublishedApp";

    private DirectoryInfo? _folder;

    public override Availability Availability =>
        Name == "native" && Tool.Find("clang") is null && Tool.Find("gcc") is null ? Availability.Missing("apt-get install clang zlib1g-dev") : Availability.Present;

    public override bool WarmsUp => false;

    private string Executable => Path.Combine(_folder!.FullName, Project);

    public override Task PrepareAsync(CancellationToken cancellation) => Task.Run(Publish, cancellation);

    public override async Task<Round> RunAsync(CancellationToken cancellation)
    {
        var round = new Round().Add("size", Files().Sum(file => file.Length) / 1e6, "MB").Add("files", Files().Length, "");
        var port = Startup.FreePort();
        var began = Clock.Now;
        using var process = Process.Start(new ProcessStartInfo(Executable, ["--urls", string.Create(CultureInfo.InvariantCulture, $"http://127.0.0.1:{port}")])
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
        _folder?.Delete(recursive: true);
        return base.DisposeAsync();
    }

    private Round Measure(Round round, Process process, int port, long began)
    {
        // 1. The host, which has no worker yet.
        var first = Startup.FirstByte(process, port, "/Hello/World", "Hello, world");
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

    private void Publish()
    {
        _folder = Directory.CreateTempSubdirectory("weir-lab-published-");
        var path = Path.Combine(BuiltPrograms.Repository, "bench", Project);
        string[] command = ["publish", path, "-c", "Release", $"-p:WeirPublished={Name}", "-o", _folder.FullName, "-v", "quiet", "-nologo", "-m:1"];
        using var process = Process.Start(new ProcessStartInfo("dotnet", command) { RedirectStandardOutput = true, RedirectStandardError = true })!;

        // Both at the same time: a full pipe would stop it.
        var errors = process.StandardError.ReadToEndAsync();
        var output = (process.StandardOutput.ReadToEnd() + errors.GetAwaiter().GetResult()).Trim();
        process.WaitForExit();
        if (process.ExitCode != 0 || !File.Exists(Executable))
            throw new InvalidDataException($"dotnet {string.Join(' ', command)} ended with code {process.ExitCode}: {output[..Math.Min(500, output.Length)]}");
    }

    private FileInfo[] Files() => [.. _folder!.GetFiles("*", SearchOption.AllDirectories).Where(file => file.Extension is not (".pdb" or ".xml" or ".dbg"))];
}
