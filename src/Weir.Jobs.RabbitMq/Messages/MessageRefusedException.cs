namespace Weir.Jobs.RabbitMq.Messages;

/// <summary>A message cannot become a job, now or later.</summary>
/// <param name="reason">What is wrong with it, and the next step.</param>
internal sealed class MessageRefusedException(string reason) : Exception(reason);
