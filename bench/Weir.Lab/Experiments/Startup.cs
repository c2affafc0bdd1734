using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Weir.Lab.Engine;
using Weir.Lab.Load;
using Weir.Lab.Measuring;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>How long a program takes from being started to its first answer.</summary>
internal sealed class Startup : Experiment
{
    private const string Response = "exec to first response";
    private const string Item = "exec to first item";
    private const string Minimal = "minimal API";
    private const string OnWeir = "weir";
    private const string WithPool = "weir, a pool of one worker";

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(20);

    public override string Name => "startup";

    public override string Question => "From exec to the first response, and to the first item of a stream: small applications as users build them.";

    public override string? Document => null;

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(5, 4, 20));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        var rounds = scale.Pick(1, 3, 15);
        yield return new Case(Response, [Empty(), .. Applications.Select(application => Contender(application, "/Hello/World", "Hello, world", Response))])
        {
            Rounds = rounds,
            WarmUp = false,
        };
        yield return new Case(Item, [.. Applications.Select(application => Contender(application, "/Weather/Next?days=2&delay=20", "[0,1]", Item))])
        {
            Rounds = rounds,
            WarmUp = false,
        };
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        yield return Promise.Ratio(
            "first response: at most 1.0 × a minimal API that uses its generator", measured[OnWeir, Response, Response], measured[Minimal, Response, Response], Relation.AtMost, 1);
        yield return Promise.Ratio(
            "first item: at most 0.95 × a minimal API that uses its generator", measured[OnWeir, Item, Item], measured[Minimal, Item, Item], Relation.AtMost, 0.95);
        yield return Promise.Ratio(
            "first inline response with a pool of one worker: at most 1.07 × without a pool", measured[WithPool, Response, Response], measured[OnWeir, Response, Response], Relation.AtMost, 1.07);
    }

    private static Application[] Applications =>
    [
        new(Minimal, BuiltPrograms.MinimalApp, []),
        new(OnWeir, BuiltPrograms.WeirApp, []),
        new(WithPool, BuiltPrograms.PoolApp, ["--Weir:PoolDefaults:MinWorkers", "1", "--Weir:PoolDefaults:MaxWorkers", "1"]),
    ];

    // What no program on this runtime can be faster than.
    private static FreshContender Empty() => new("floor", async cancellation =>
    {
        var began = Clock.Now;
        using var process = Process.Start("dotnet", [BuiltPrograms.Empty]);
        await process.WaitForExitAsync(cancellation);
        return new Round().Add(Response, Clock.MillisecondsBetween(began, Clock.Now), "ms");
    });

    private static FreshContender Contender(Application application, string path, string answer, string metric) => new(application.Name, async cancellation =>
    {
        var port = FreePort();
        var began = Clock.Now;
        using var process = Process.Start(new ProcessStartInfo("dotnet", [application.Path, "--urls", string.Create(CultureInfo.InvariantCulture, $"http://127.0.0.1:{port}"), .. application.Arguments])
        {
            RedirectStandardOutput = true,
        })!;
        try
        {
            var first = await Task.Run(() => FirstByte(process, port, path, answer), cancellation);
            return new Round()
                .Add(metric, Clock.MillisecondsBetween(began, first), "ms")
                .Add("private memory", new ProcessMeter(process.Id).PrivateDirty / 1e6, "MB");
        }
        finally
        {
            process.Kill(entireProcessTree: true);
            await process.WaitForExitAsync(CancellationToken.None);
        }
    });

    /// <summary>Asks until the program listens.</summary>
    /// <returns>When the first byte of its response was here; the response must be the expected one to its end.</returns>
    internal static long FirstByte(Process process, int port, string path, string answer)
    {
        var began = Clock.Now;
        while (Clock.SecondsSince(began) < Patience.TotalSeconds && !process.HasExited)
        {
            try
            {
                using var stream = RawStream.Get(port, path);
                long first = 0;
                var body = new StringBuilder();
                stream.Read((part, now) =>
                {
                    first = first == 0 ? now : first;
                    body.Append(Encoding.UTF8.GetString(part));
                });
                return stream.Status == 200 && body.ToString() == answer
                    ? first
                    : throw new InvalidDataException($"{path} gave {stream.Status} and '{body}'.");
            }
            catch (SocketException)
            {
                Thread.Sleep(1);
            }
        }

        throw new TimeoutException($"Nothing listened for {Patience.TotalSeconds} s, or the program ended.");
    }

    /// <summary>A port on which nothing listens.</summary>
    internal static int FreePort()
    {
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return ((IPEndPoint)socket.LocalEndPoint!).Port;
    }

    private sealed record Application(string Name, string Path, string[] Arguments);
}
