using Microsoft.AspNetCore.Authorization;
using Weir.Jobs.Tests.Running;

namespace Weir.Jobs.Tests.Http;

/// <summary>Operations behind a policy, and one that is not.</summary>
[Service, Authorize("callers")]
public sealed class Guarded(Board board)
{
    [Job]
    public string Secret(string text)
    {
        board.Add($"secret {text}");
        return text;
    }

    [Job, AllowAnonymous]
    public string Open(string text) => text;
}
