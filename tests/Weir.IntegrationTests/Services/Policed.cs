using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Antiforgery;
using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Cors;
using Microsoft.AspNetCore.Http.Timeouts;
using Microsoft.AspNetCore.Mvc;
using Microsoft.AspNetCore.OutputCaching;
using Microsoft.AspNetCore.RateLimiting;
using Microsoft.AspNetCore.Routing;

namespace Weir.IntegrationTests.Services;

/// <summary>One operation for each place where a call runs. What derives from it says which policy holds for all of them.</summary>
public abstract class Kinds
{
    internal const string Pool = "policies";

    [Get, Post] public Task<string> Inline(int delay = 0, CancellationToken ct = default) => AnswerAsync(delay, ct);

    [Get, Post, Blocking]
    public string Lane(int delay = 0, CancellationToken ct = default)
    {
        ct.WaitHandle.WaitOne(delay);
        ct.ThrowIfCancellationRequested();
        return Guid.NewGuid().ToString();
    }

    [Get, Post, Isolated(Pool)] public Task<string> Worker(int delay = 0, CancellationToken ct = default) => AnswerAsync(delay, ct);

    [Get, Post] public IAsyncEnumerable<string> Stream(int delay = 0, CancellationToken ct = default) => ItemsAsync(delay, ct);

    [Get, Post, Isolated(Pool)] public IAsyncEnumerable<string> WorkerStream(int delay = 0, CancellationToken ct = default) => ItemsAsync(delay, ct);

    private static async Task<string> AnswerAsync(int delay, CancellationToken ct)
    {
        await Task.Delay(delay, ct);
        return Guid.NewGuid().ToString();
    }

    private static async IAsyncEnumerable<string> ItemsAsync(int delay, [EnumeratorCancellation] CancellationToken ct)
    {
        yield return await AnswerAsync(delay, ct);
        yield return await AnswerAsync(0, ct);
    }
}

[Service, Authorize("users")]
public sealed class Guarded : Kinds
{
    [Get, Authorize(Roles = "admin"), EndpointName("guarded-admin")] public string Admin() => "admin";

    [Get, AllowAnonymous] public string Open() => "open";
}

/// <summary>Its class says nothing, its methods do.</summary>
[Service]
public sealed class HalfGuarded : Kinds
{
    [Get, Authorize] public string Secret() => "secret";
}

[Service, EnableRateLimiting("one")] public sealed class RateLimited : Kinds;

[Service, OutputCache(Duration = 600)] public sealed class Cached : Kinds;

[Service, RequestTimeout(2000)] public sealed class Timed : Kinds;

[Service, EnableCors("site")] public sealed class CrossOrigin : Kinds;

[Service, RequestSizeLimit(100)]
public sealed class Small : Kinds
{
    [DisableRequestSizeLimit] public int Unlimited(ReadOnlyMemory<byte> data) => data.Length;

    public async Task<int> Sum(IAsyncEnumerable<int> numbers)
    {
        var sum = 0;
        await foreach (var number in numbers)
        {
            sum += number;
        }

        return sum;
    }
}

[Service, RequireAntiforgeryToken] public sealed class Tokened : Kinds;

/// <summary>Counts how often it was constructed in this process.</summary>
[AttributeUsage(AttributeTargets.All)]
public sealed class CountedAttribute : Attribute
{
    public CountedAttribute() => Interlocked.Increment(ref Constructed);

    internal static int Constructed;
}

[Service, Counted, Authorize]
public sealed class Attributed
{
    /// <summary>What this process has made of the attributes: how many, and which assemblies of ASP.NET Core it has loaded.</summary>
    [Get, Isolated(Kinds.Pool), Counted, AllowAnonymous]
    public string Loaded() => string.Join(
        ' ',
        AppDomain.CurrentDomain.GetAssemblies().Select(static one => one.GetName().Name!).Where(static name => name.StartsWith("Microsoft.AspNetCore", StringComparison.Ordinal))
            .Prepend(CountedAttribute.Constructed.ToString(System.Globalization.CultureInfo.InvariantCulture)));
}
