using System;
using System.Collections.Generic;
using System.IO;

namespace Weir.Lab.Isolation;

/// <summary>Calls while workers are killed: every call and its outcome as the caller sees it. The lab compares this with what the workers wrote.</summary>
public static class ChaosRun
{
    public static IEnumerable<ControlLine> Run(Func<IsolatedWorker> open, ControlLine request)
    {
        Environment.SetEnvironmentVariable(Witness.FolderVariable, request["folder"]);
        using (var log = new StreamWriter(Path.Combine(request["folder"], "host")) { AutoFlush = true })
        {
            var worker = open();
            var limit = ChaosLimit.Of(request);
            var window = new Queue<KeyValuePair<long, PendingTask>>();
            for (long number = 0; limit.GoesOn(number); number++)
            {
                if (window.Count == request.Int("window"))
                    End(window.Dequeue());
                var buffer = new byte[request.Int("bytes")];
                BitConverter.GetBytes(number).CopyTo(buffer, 0);
                log.WriteLine($"made {number}");
                window.Enqueue(new KeyValuePair<long, PendingTask>(number, worker.QueueTask(buffer)));
            }

            while (window.Count > 0)
                End(window.Dequeue());

            // A caller of this design is notified that a task ended, never that it failed.
            void End(KeyValuePair<long, PendingTask> task)
            {
                task.Value.Done.Wait();
                log.WriteLine($"ok {task.Key}");
            }
        }

        return new[] { Readings.Done() };
    }
}
