using Weir.Worker.Channels;

namespace Weir.Worker.Platform;

/// <summary>The two channels to the host: inherited as descriptors 3 and 4, or named pipes if the command line names them.</summary>
internal static class WorkerChannels
{
    private const int DataDescriptor = 3;
    private const int ControlDescriptor = 4;

    /// <exception cref="InvalidOperationException">The channels do not exist: this process was not started by a host.</exception>
    public static (IChannel Data, IChannel Control) Open(WorkerArguments arguments) =>
        arguments.Pipes is { } name
            ? (new WorkerPipeChannel(name + "-data"), new WorkerPipeChannel(name + "-control"))
            : (new WorkerSocketChannel(DataDescriptor), new ControlSocketChannel(ControlDescriptor, DataDescriptor));
}
