namespace Weir.Tests.Processes.Simulation;

internal enum MessageKind
{
    Started,
    Item,
    Answer,
    Garbage,
}

/// <summary>A message of a worker on its data channel.</summary>
/// <param name="Kind">The kind of message.</param>
/// <param name="Id">The id of the call in the worker.</param>
/// <param name="Call">The call that really has this id.</param>
/// <param name="Number">The number of the item.</param>
internal readonly record struct Message(MessageKind Kind, ulong Id, SimulatedCall? Call, int Number = 0);
