using Weir.Lab.Isolation;

namespace Weir.Lab.TaskWorker;

/// <summary>The worker process of document 003.</summary>
internal static class Program
{
    private static void Main(string[] arguments) => LineProtocol.Run(arguments);
}
