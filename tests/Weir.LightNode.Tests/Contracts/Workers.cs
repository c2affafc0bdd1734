namespace Weir.LightNode.Tests.Contracts;

/// <summary>Where the isolated services run. Each has the name of the one that runs in the host, with <c>Isolated</c> before it.</summary>
internal static class Workers
{
    internal const string Pool = "lightnode";
}
