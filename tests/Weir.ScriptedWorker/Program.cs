using Weir.ScriptedWorker;

// A worker that does what its script says, right or wrong: Weir.ScriptedWorker.dll <how it starts>.
using var session = new Session(args.Length > 0 ? args[0] : "well");
return session.Run();
