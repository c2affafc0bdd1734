using Microsoft.Extensions.Options;
using Weir;

namespace IsolatedWork;

/// <summary>
/// Work that may crash, leak or never return, in processes of its own: at most two, of 256 MB each, none while there is nothing to
/// render (appsettings.json).
/// </summary>
[Service, Isolated("render")]
public sealed class Renderer(IOptions<RenderOptions> options, ILogger<Renderer> logger)
{
    [Get]
    public string Render(int pages)
    {
        if (logger.IsEnabled(LogLevel.Information))
        {
            logger.LogInformation("rendering {Pages} pages", pages);
        }

        return string.Join('\n', Enumerable.Range(1, pages).Select(page => $"{options.Value.Footer} {page}"));
    }

    /// <summary>Each page leaves when it is rendered; when the caller disconnects, the worker stops.</summary>
    [Get]
    public async IAsyncEnumerable<string> Pages(int pages)
    {
        for (var page = 1; page <= pages; page++)
        {
            await Task.Delay(20);
            yield return $"{options.Value.Footer} {page}";
        }
    }

    /// <summary>A document that the renderer cannot bear: its worker ends, and no other call.</summary>
    public void Broken() => Environment.FailFast("the renderer is broken");

    /// <summary>A document that takes memory without end: its worker reaches its limit, and no other call is affected.</summary>
    public void Leaking()
    {
        var pages = new List<byte[]>();
        while (true)
        {
            // Filled, so that the memory is really in use.
            var page = GC.AllocateUninitializedArray<byte>(1 << 20);
            page.AsSpan().Fill(1);
            pages.Add(page);
        }
    }

    /// <summary>A document that never ends: cancelled with its caller, and killed a second later.</summary>
    public void Endless()
    {
        while (true)
        {
            Thread.SpinWait(1000);
        }
    }
}
