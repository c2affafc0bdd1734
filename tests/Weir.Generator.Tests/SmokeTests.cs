using Microsoft.CodeAnalysis;
using Weir.Generator.Tests.Driving;
using Xunit;

namespace Weir.Generator.Tests;

public sealed class SmokeTests
{
    [Fact]
    public void Twin_compiles()
    {
        using var reader = new StreamReader(typeof(SmokeTests).Assembly.GetManifestResourceStream("Services.cs")!);
        var output = Driver.Run(Driver.Library(reader.ReadToEnd()));
        Assert.Empty(output.Reported);
        Assert.Empty(output.Compiled);
        output.Load();
    }

    [Fact]
    public void Showcase_compiles()
    {
        var output = Driver.Run(Driver.Compilation("Showcase", OutputKind.ConsoleApplication, [], """
            using Weir;
            using System.Runtime.CompilerServices;
            namespace Showcase;
            [Service] public sealed class Hello { [Get] public string World() => "Hello, world"; }
            public enum Fruit { Apple = 1, Orange = 2, Grape = 4 }
            public sealed record EchoResult(string Name, int Sum);
            [Service] public sealed class Perf { [Get] public EchoResult Echo(string name, int x, int y, Fruit e) => new(name, x + y); }
            public sealed record Stats(int Started, int Finished, int StoppedEarly, double? LastStopMs);
            [Service] internal sealed class Weather(IServiceProvider services) {
                [Get] public Stats Stopped() => new(1, 2, 3, services is null ? 1 : null);
                [Get, Isolated] public async IAsyncEnumerable<Stats> NextIsolated(int days = 100, int delay = 20, [EnumeratorCancellation] CancellationToken ct = default) { await Task.Yield(); yield return Stopped(); }
                [Get, Blocking] public Stats[] NextArray(int days = 100, int delay = 20) => [];
            }
            [Service] public sealed class Guids { [Get] public async IAsyncEnumerable<string> Stream(int count) { await Task.Yield(); yield return ""; }  [Get] public string[] Array(int count) => []; }
            [Service] public sealed class Sleep { [Get] public async Task<string> Aio(int ms) { await Task.Yield(); return ""; } }
            [Service, Isolated("hashing")] public sealed class Hasher { [Get] public string DoTask(int size) => ""; public string Hash(ReadOnlyMemory<byte> data) => ""; public void Nothing(ReadOnlyMemory<byte> data) { } }
            public enum CrashKind { Unhandled, StackOverflow }
            public sealed record Static(int Value, int Pid);
            [Service, Isolated("neighbours")] public sealed class Neighbour { public void EatMemory(int mb) {} public void Crash(CrashKind kind) {} [Get] public Static GetStatic() => new(1, 2); }
            internal static class WorkerSetup { [WorkerServices] internal static IServiceProvider Create(WorkerStartup startup) => null!; }
            internal static class Program { static void Main() { new Microsoft.Extensions.DependencyInjection.Bag().Run(); } }
            """, """
            namespace Weir { public sealed class WorkerStartup; }
            namespace Weir.Execution { public sealed class WeirOptions; }
            namespace Microsoft.Extensions.DependencyInjection {
                public interface IServiceCollection;
                public class Bag : IServiceCollection { public void Run() => this.AddWeir(o => { }); }
                public static class E { public static void AddWeirCatalogs(this IServiceCollection s, string n, IReadOnlyList<global::Weir.ServiceCatalog> c, Action<global::Weir.Execution.WeirOptions>? f) {} }
            }
            """));
        Directory.CreateDirectory("/tmp/weir-out");
        foreach (var f in output.Result.GeneratedSources) { File.WriteAllText("/tmp/weir-out/" + f.HintName, f.SourceText.ToString()); }
        Assert.Empty(output.Reported);
        Assert.Empty(output.Compiled);
        output.Load();
    }
}
