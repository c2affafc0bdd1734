using Weir.Lab.Isolation;
using Weir.Workers;

namespace Weir.Lab.MonoWorker
{
    /// <summary>Serves the task of document 003 to a pool of Weir.</summary>
    internal static class Program
    {
        private static int Main(string[] args)
        {
            var worker = new WeirWorker();
            worker.Operation("ForeignTasks/NothingOf", (int bytes) => new HelloTask().DoTask(TaskKind.Nothing, bytes));
            worker.Operation("ForeignTasks/LoadOf", (int bytes) => new HelloTask().DoTask(TaskKind.Load, bytes));
            worker.Operation("ForeignTasks/Nothing", (byte[] data) => "");
            worker.Operation("ForeignTasks/Load", (byte[] data) => new HelloTask().DoTask(TaskKind.Load, data));
            worker.Operation("ForeignTasks/Hash", (byte[] data) => new HelloTask().DoTask(TaskKind.Hash, data));
            return worker.Run(args);
        }
    }
}
