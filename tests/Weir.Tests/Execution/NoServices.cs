namespace Weir.Tests.Execution;

internal sealed class NoServices : IServiceProvider
{
    internal static readonly NoServices Instance = new();

    public object? GetService(Type serviceType) => null;
}
