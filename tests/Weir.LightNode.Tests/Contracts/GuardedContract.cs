using System.ComponentModel.DataAnnotations;
using Microsoft.AspNetCore.Authorization;

namespace Weir.LightNode.Tests.Contracts;

/// <summary>Everything that can refuse a request stands before this operation, which leaves a mark where it ran.</summary>
[Post]
public abstract class GuardedOperations
{
    public int Add([Range(0, 9)] int x, int y) => x + y;
}

[Service, Authorize, Mark("Guarded")]
public sealed class GuardedContract : GuardedOperations;

[Service, Isolated(Workers.Pool), Authorize, Mark("Guarded")]
public sealed class IsolatedGuardedContract : GuardedOperations;
