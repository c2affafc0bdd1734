using Weir.Lab.Engine;
using Weir.Lab.Measuring;

namespace Weir.Lab.Processes;

/// <summary>Document 002's clients: what each needs, and how it is started.</summary>
internal static class FanOutPeers
{
    private static readonly Lazy<Availability> AsyncHttp = new(static () => Has("ruby", ["-e", "require 'async/http'; puts 'here'"], "ruby ruby-async-http"));

    private static readonly Lazy<Availability> Aio = new(static () => Has(Peers.DebianPython, ["-c", "import aiohttp; print('here')"], "python3-aiohttp"));

    /// <summary>The young generation is so large that nothing is collected while an iteration is counted.</summary>
    public static (Availability Needs, ProgramLaunch Launch) Undici => (
        Peers.NodePackage("undici"),
        new ProgramLaunch("node", ["--expose-gc", "--min-semi-space-size=64", "--max-semi-space-size=64", Script("node", "fanout.mjs")]));

    public static (Availability Needs, ProgramLaunch Launch) AioHttp => (Aio.Value, new ProgramLaunch(Peers.DebianPython, [Script("python", "fanout.py")]));

    /// <summary>A way that needs the standard library only.</summary>
    public static (Availability Needs, ProgramLaunch Launch) Ruby(string way) => (Peers.Ruby, new ProgramLaunch("ruby", [Script("ruby", "fanout.rb"), way]));

    /// <summary>A way that needs async and async-http.</summary>
    public static (Availability Needs, ProgramLaunch Launch) RubyAsync(string way) => Ruby(way) with { Needs = AsyncHttp.Value };

    /// <summary>A way on .NET.</summary>
    public static (Availability Needs, ProgramLaunch Launch) Lab(string way) => (Availability.Present, ProgramLaunch.OfLab("fanout-client", $"way={way}"));

    private static string Script(string folder, string file) => Path.Combine(Peers.Scripts, folder, file);

    private static Availability Has(string program, string[] arguments, string packages) => Tool.FirstLine(program, arguments) == "here"
        ? Availability.Present
        : Availability.Missing($"apt-get install {packages}, or {Peers.SetUp}");
}
