using Weir.Jobs.Tests.Running;

namespace Weir.Jobs.Tests.Http;

/// <summary>Operations that always become jobs over HTTP, or never.</summary>
[Service]
public sealed class Deferred(Board board)
{
    [Job(Respond = JobRespond.Always)]
    public string Always(string text) => text;

    [Job(Respond = JobRespond.Never)]
    public string Never(string text)
    {
        board.Add($"never {text}");
        return text;
    }
}
